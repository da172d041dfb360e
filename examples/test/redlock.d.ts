// The `exports` of redlock 5 hide its types; its fork has the same interface.
declare module 'redlock' {
  import { Redlock } from '@sesamecare-oss/redlock'

  export default Redlock
}
