/** Where a call came from: made cheaply, put into words only when someone asks. */
export interface CallSite {
  readonly stack?: string
  /** How many frames of this package are above those of the caller. Their names and files may be those of a bundle. */
  readonly ours: number
}

/** @param ours - how many functions of this package the running code is in */
export function callSite(ours: number): CallSite {
  const site: CallSite = { ours }
  Error.captureStackTrace(site, callSite)
  return site
}

/**
 * The frames of the caller. Without those of Node.js, which lie between ours and the caller's if a tick of its queue ran us,
 * and, as far as paths tell, without those of ours between functions of the caller.
 */
export const framesOf = (site: CallSite | undefined): readonly string[] =>
  (site?.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at (?!.*node:)/.test(line))
    .slice(site?.ours)
    .filter((line) => !/[\\/]node_modules[\\/]@holdfast[\\/]/.test(line))
    .map((frame) => frame.trim())
