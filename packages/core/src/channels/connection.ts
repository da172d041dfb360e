import { isPointObserved, publishPoint } from './channels.js'
import type { ConnectionMessage } from './contexts.js'

export function publishConnection(message: ConnectionMessage): void {
  if (isPointObserved('connection')) publishPoint('connection', message)
}
