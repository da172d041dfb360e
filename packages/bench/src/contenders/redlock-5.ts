import { openRedlock5, redlocks } from './redlocks.js'

export const { best, defaults } = redlocks(
  'redlock 5',
  openRedlock5(async () => {
    const { default: Redlock, ...errors } = await import('redlock-5')
    return { Redlock, ...errors }
  }),
)
