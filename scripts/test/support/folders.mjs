import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const made = []

/** A temporary folder with these files, by path. */
export function makeFolder(files) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lua-'))
  made.push(folder)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}

export function removeFolders() {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
}
