import { encode, type Message } from './protobuf.js'

/** Requests and replies about servers: `Maintenance` and `Cluster` of etcd's `rpc.proto`. */

/** What a server says of itself. */
export interface ServerStatus {
  readonly clusterId: bigint
  readonly serverId: bigint
  readonly version: string
  readonly leaderId: bigint
  readonly dbBytes: number
  /** 0 from servers before 3.6. */
  readonly quotaBytes: number
}

export interface Member {
  readonly name: string
  /** It follows, and has no vote yet. */
  readonly isLearner: boolean
}

/** Requests that say all by their name. */
export const plainRequest: Buffer = encode()

export const statusOf = (reply: Message): ServerStatus => {
  const header = reply.message(1)
  return {
    clusterId: header.big(1),
    serverId: header.big(2),
    version: reply.text(2),
    dbBytes: reply.number(3),
    leaderId: reply.big(4),
    quotaBytes: reply.number(12),
  }
}

export const membersOf = (reply: Message): readonly Member[] =>
  reply.messages(2).map((member) => ({ name: member.text(2), isLearner: member.isTrue(5) }))

/** Alarms by their numbers in `AlarmType`. */
export const alarmNames: Readonly<Record<number, string>> = { 1: 'NOSPACE', 2: 'CORRUPT' }

/** The numbers of the alarms that are on. */
export const alarmsOf = (reply: Message): readonly number[] =>
  reply.messages(2).map((alarm) => alarm.number(2))
