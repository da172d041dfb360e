// Runs a program in a process group of its own and never leaves one of that group behind.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const graceMs = 10_000
// A terminal signals every process of its foreground group and npm passes the signal on once more: one Ctrl-C arrives twice.
const sameKeystrokeMs = 1_000

/** Sends a signal to a group, or with 0 checks whether it exists. False when nothing of it is left to signal. */
function signalGroup(leader, signal) {
  try {
    process.kill(-leader, signal)
    return true
  } catch {
    return false
  }
}

async function endGroup(leader, killAt) {
  while (signalGroup(leader, 0) && Date.now() < killAt) await delay(50)
  signalGroup(leader, 'SIGKILL')
}

/**
 * Runs a program to its end and resolves with its exit code, 128 + n if a signal ended it or us.
 *
 * SIGINT, SIGTERM and SIGHUP go to the whole group; what is left of it after 10 s, or at a second signal, is killed.
 */
export async function runInGroup([program, ...args], { env = process.env, cwd } = {}) {
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: 'inherit',
  })

  let interrupted
  const interrupt = (signal) => {
    if (child.pid === undefined) return
    if (interrupted && Date.now() - interrupted.at < sameKeystrokeMs) return
    signalGroup(child.pid, interrupted ? 'SIGKILL' : signal)
    interrupted ??= { signal, at: Date.now() }
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs).unref()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, interrupt)

  try {
    const [code, endedBy] = await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (...ending) => resolve(ending))
    })
    if (interrupted) await endGroup(child.pid, interrupted.at + graceMs)
    const signal = interrupted?.signal ?? endedBy
    return signal ? 128 + constants.signals[signal] : code
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}
