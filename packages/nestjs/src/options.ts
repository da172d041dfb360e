import {
  InvalidArgumentError,
  type EngineHoldfastOptions,
  type Holdfast,
  type HoldfastOptions,
  type HoldfastQuorum,
} from '@holdfast/core'
import type { InjectionToken, ModuleMetadata } from '@nestjs/common'

/** What the module provides, and `@WithLock` uses. */
export type HoldfastClient = Holdfast | HoldfastQuorum

/** A client that the module makes, and closes when the application shuts down. */
export type OwnedClientOptions = (HoldfastOptions | EngineHoldfastOptions) & {
  readonly holdfast?: undefined
  /**
   * How long holders get to release what they hold when the application shuts down, milliseconds. At least 0. HTTP requests in flight have
   * ended by then: this is for timers and other work in the background.
   *
   * @defaultValue 0
   */
  readonly drainMs?: number | undefined
}

/** A client that the application makes. The module never closes it. */
export interface GivenClientOptions {
  /** The client. */
  readonly holdfast: HoldfastClient
}

/** What a client is made of, or the client. */
export type HoldfastClientOptions = OwnedClientOptions | GivenClientOptions

/** How the module provides a client. */
export interface HoldfastProviding {
  /**
   * The name of the client. Each of several clients in an application needs its own.
   *
   * @defaultValue 'default'
   */
  readonly name?: string | undefined
  /**
   * Whether all modules see the client; otherwise only those that import this one.
   *
   * @defaultValue true
   */
  readonly isGlobal?: boolean | undefined
  /** Names of locks that can be injected with `@InjectLock`. None by default. */
  readonly locks?: readonly string[] | undefined
}

/** What `HoldfastModule.forRoot` takes. */
export type HoldfastModuleOptions = HoldfastProviding & HoldfastClientOptions

/** What `HoldfastModule.forRootAsync` takes. */
export interface HoldfastModuleAsyncOptions<Args extends unknown[] = never[]> extends HoldfastProviding {
  /** Modules that export what is injected. */
  readonly imports?: ModuleMetadata['imports']
  /** The tokens of the arguments of `useFactory`. */
  readonly inject?: readonly InjectionToken[] | undefined
  /** Returns the options of the client, or the client as `{ holdfast }`. */
  readonly useFactory: (...args: Args) => HoldfastClientOptions | Promise<HoldfastClientOptions>
}

const isText = (given: unknown): boolean => typeof given === 'string' && given !== ''

const isDrainMs = (given: unknown): boolean =>
  typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 2 ** 31 - 1

function refuse(option: string, must: string, given: unknown): never {
  throw new InvalidArgumentError(`${option} of HoldfastModule must be ${must}, got ${shown(given)}`)
}

/** Without the value of what may contain a password. */
const shown = (given: unknown): string =>
  typeof given === 'object' && given !== null
    ? 'an object'
    : typeof given === 'function'
      ? 'a function'
      : String(given)

/** Refuses what `forRoot` and `forRootAsync` would ignore or misunderstand. */
export function checkProviding({ name, isGlobal, locks }: HoldfastProviding): void {
  if (name !== undefined && !isText(name)) refuse('name', 'a string that is not empty', name)
  if (isGlobal !== undefined && typeof isGlobal !== 'boolean') refuse('isGlobal', 'true or false', isGlobal)
  if (locks !== undefined && !(Array.isArray(locks) && locks.every(isText)))
    refuse('locks', "an array of names of locks, such as ['nightly']", locks)
}

/** Refuses options that would be ignored, or fail only when the application shuts down. */
export function checkClientOptions(options: unknown): asserts options is HoldfastClientOptions {
  if (typeof options !== 'object' || options === null) {
    refuse('the options', "an object such as { redis: 'redis://localhost' }", options)
  }
  const { holdfast, drainMs, ...others }: Record<string, unknown> = { ...options }
  if (drainMs !== undefined && !isDrainMs(drainMs))
    refuse('drainMs', 'a whole number of milliseconds of at least 0', drainMs)
  if (holdfast === undefined) return
  if (!isClient(holdfast)) refuse('holdfast', 'a Holdfast client', holdfast)
  const [superfluous] = Object.entries({ drainMs, ...others }).filter(([, value]) => value !== undefined)
  if (superfluous) {
    throw new InvalidArgumentError(
      `${superfluous[0]} has no effect on a client that is given as holdfast: give it to the client itself. The application made that client, ` +
        'so it also closes it, as in holdfast.close({ drainMs })',
    )
  }
}

/** Whether locks can be had from it: a client, or what a test has put in its place. */
export const isClient = (given: unknown): given is Pick<HoldfastClient, 'getLock'> =>
  typeof given === 'object' && given !== null && 'getLock' in given && typeof given.getLock === 'function'
