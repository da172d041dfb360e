/** Where a call came from: made cheaply, put into words only when someone asks. */
export interface CallSite {
  readonly stack?: string
}

/** That of the running call of `withLock` or `run`, or of what awaits it. */
export function callSite(): CallSite {
  const site: CallSite = {}
  Error.captureStackTrace(site, callSite)
  return site
}

const mostOfOurs = 5
const ours = /\b(endBody|useLease|(Multi)?(Lock|Lease)\.(withLock|run)) \(/

/** The frames of the caller, without ours above them. */
export function framesOf({ stack = '' }: CallSite): readonly string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const last = frames
    .slice(0, mostOfOurs)
    .map((frame) => ours.test(frame))
    .lastIndexOf(true)
  return frames.slice(last + 1).map((frame) => frame.trim())
}
