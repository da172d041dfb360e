import { onPath, skippedIf } from '@holdfast/testkit'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/** The program, or `undefined` if none is installed. */
const findChromium = (): string | undefined =>
  ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => onPath(name))[0]

export const describeInBrowser = skippedIf(
  findChromium() === undefined && 'no Chromium found; apt-get install chromium',
  describe,
)

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium() ?? '',
    // The machine may be busy with other tests.
    timeout: 90_000,
    // Root may not use its sandbox, and nothing is opened but the dashboard.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A tab, and what went wrong in it. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors, warnings and refusals of the content policy. */
  readonly problems: string[]
}

export async function openTab(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  const page = await context.newPage()
  // The machine may be busy with other tests.
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  return { page, context, problems }
}
