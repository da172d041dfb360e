import type { AskCredentials } from '../../index.js'

/** A user and a password, either of which may be missing. */
export interface Credentials {
  readonly username?: string | undefined
  readonly password?: string | undefined
}

/** What node-redis takes as `credentialsProvider`: one that is asked whenever a connection is made, or one that also reports changes. */
type CredentialsProvider =
  | { readonly type: 'async-credentials-provider'; credentials(): Promise<Credentials> }
  | {
      readonly type: 'streaming-credentials-provider'
      subscribe(listener: {
        onNext(credentials: Credentials): void
        onError(error: Error): void
      }): Promise<readonly [Credentials, { dispose(): void }]>
      onReAuthenticationError(error: Error): void
    }

/** Where the credentials of a connection come from. */
export interface CredentialsSource extends Credentials {
  readonly credentialsProvider?: CredentialsProvider | undefined
}

/** The credentials of one connection, until they are disposed of. */
export interface CurrentCredentials extends Credentials {
  dispose(): void
}

/**
 * The credentials for a connection that is being made.
 *
 * @param onRenewed - authenticates the connection with later ones
 */
export async function credentialsOf(
  { credentialsProvider: provider, username, password }: CredentialsSource,
  onRenewed: (credentials: Credentials) => Promise<void>,
): Promise<CurrentCredentials> {
  if (provider === undefined) return { username, password, dispose }
  if (provider.type === 'async-credentials-provider') return { ...(await provider.credentials()), dispose }
  const report = (error: Error): void => provider.onReAuthenticationError(error)
  const [first, subscription] = await provider.subscribe({
    onNext: (next) => void onRenewed(next).catch(report),
    onError: report,
  })
  return { ...first, dispose: () => subscription.dispose() }
}

/** Those that Holdfast was given a function for, with the user of the connection unless it names one. */
export async function credentialsBy(
  ask: AskCredentials,
  options: Credentials,
  signal: AbortSignal,
): Promise<CurrentCredentials> {
  const { username = options.username, password } = await ask(signal)
  return { username, password, dispose }
}

/** Nothing was subscribed to. */
const dispose = (): void => undefined
