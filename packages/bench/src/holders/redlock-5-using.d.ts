declare module 'redlock-5' {
  export default interface Redlock {
    using(
      resources: readonly string[],
      leaseMs: number,
      routine: (signal: AbortSignal) => Promise<void>,
    ): Promise<void>
  }
}
