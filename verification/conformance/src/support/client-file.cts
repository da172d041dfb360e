import fs = require('node:fs')
import path = require('node:path')

/** The program of a client in a process of its own. CommonJS in both builds, which then find it in the same way. */
function clientFile(): string {
  let folder = __dirname
  while (!fs.existsSync(path.join(folder, 'worker', 'client.mjs'))) folder = path.dirname(folder)
  return path.join(folder, 'worker', 'client.mjs')
}

export = clientFile
