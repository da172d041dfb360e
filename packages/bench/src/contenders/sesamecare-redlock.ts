import { openRedlock5, redlocks } from './redlocks.js'

export const { best, defaults } = redlocks(
  '@sesamecare-oss/redlock',
  openRedlock5(() => import('@sesamecare-oss/redlock')),
)
