// The worker of the chaos run with clients that do not close.
import { Holdfast } from '@holdfast/core'

Holdfast.prototype.close = () => Promise.resolve()
await import('../../dist/worker.js')
