import type { ClientInfo } from '@holdfast/core'
import { isHandedOver } from '@holdfast/core/engine'
import { escapeText } from './escape.js'

/** One owner for people: where it runs, if its client is registered. Safe to show. */
export const describeOwner = (owner: {
  readonly owner: string
  readonly client: ClientInfo | null
}): string => {
  const { client } = owner
  const name = escapeText(owner.owner)
  const who = client ? `${describeClient(client)} (${name})` : name
  return isHandedOver(owner.owner) ? `handed over by ${who}` : who
}

/** `host, pid 812, label` */
export function describeClient({ host, pid, label }: ClientInfo): string {
  // A number if the client is ours.
  const place = `${escapeText(host)}, pid ${escapeText(String(pid))}`
  return label === '' ? place : `${place}, ${escapeText(label)}`
}
