import { Holdfast } from '@holdfast/core'

export const open = (url, options) => new Holdfast({ ...options, redis: url })
