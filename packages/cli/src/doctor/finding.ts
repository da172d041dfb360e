/** What one check found. Texts are safe to show. */
export interface Finding {
  /** What was checked. */
  readonly check: string
  /** `unknown`: it could not be checked. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown'
  readonly text: string
  /** Of permissions: which ones the user has, one by one. */
  readonly permissions?: Readonly<Record<string, boolean>>
}

export const ok = (check: string, text: string): Finding => ({ check, status: 'ok', text })
export const warning = (check: string, text: string): Finding => ({ check, status: 'warning', text })
export const failed = (check: string, text: string): Finding => ({ check, status: 'failed', text })
export const unknown = (check: string, text: string): Finding => ({ check, status: 'unknown', text })
