import { redlock5Like } from './redlock-5.js'

const name = '@sesamecare-oss/redlock'

export const sesamecareRedlock = redlock5Like(name, name, () => import('@sesamecare-oss/redlock'))
