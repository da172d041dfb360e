import type { ClientInfo } from './replies.js'

/** Who the clients are, for diagnostics only. */
export interface Registry {
  /** Keeps the registration of this client alive; called periodically while it holds or waits. */
  register(): Promise<void>
  /** What a client registered with; `null` when its registration has expired. */
  find(clientId: string): Promise<ClientInfo | null>
}
