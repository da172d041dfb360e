/**
 * A caller of an abstract multi lock; one that wants a single member is a caller of an ordinary lock.
 *
 * | Phase      | true in it                                                      | leaves it on                              |
 * | ---------- | --------------------------------------------------------------- | ----------------------------------------- |
 * | requesting | holds those of its members that it has entered so far           | all entered → inside; one busy → queueing |
 * | queueing   | has learned that its next member is busy                        | free by now → requesting; else → waiting  |
 * | waiting    | has an entry in the queue of its next member                    | granted → requesting                      |
 * | inside     | holds all its members                                           | left → leaving                            |
 * | restarting | gives back what it holds, one after another                     | nothing held → requesting                 |
 * | leaving    | the same                                                        | nothing held → done                       |
 * | done       | holds nothing, waits for nothing                                | -                                         |
 */
export interface Caller {
  readonly phase: 'requesting' | 'queueing' | 'waiting' | 'inside' | 'restarting' | 'leaving' | 'done'
  /** In the order in which it acquires them. */
  readonly wants: readonly string[]
  /** The lease of one of its holds ended, and it has not noticed. */
  readonly hasLost: boolean
}

/** One lock as the store has it. */
export interface MemberState {
  /** The caller that holds it; `null`: free. */
  readonly holder: number | null
  readonly queue: readonly number[]
}

export interface MultiState {
  readonly callers: readonly Caller[]
  readonly members: Readonly<Record<string, MemberState>>
  /** How many leases may still end, and calls be given up. */
  readonly losses: number
  readonly aborts: number
}

export const memberOf = ({ members }: MultiState, name: string): MemberState =>
  members[name] ?? { holder: null, queue: [] }

/** The members that a caller holds at the store. */
export const heldBy = (state: MultiState, n: number): string[] =>
  Object.keys(state.members).filter((name) => memberOf(state, name).holder === n)

export const queuedBy = (state: MultiState, n: number): string[] =>
  Object.keys(state.members).filter((name) => memberOf(state, name).queue.includes(n))

export const withCaller = (state: MultiState, n: number, change: Partial<Caller>): MultiState => ({
  ...state,
  callers: state.callers.map((caller, i) => (i === n ? { ...caller, ...change } : caller)),
})

export const withMember = (state: MultiState, name: string, change: Partial<MemberState>): MultiState => ({
  ...state,
  members: { ...state.members, [name]: { ...memberOf(state, name), ...change } },
})
