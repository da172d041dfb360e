import type { Holdfast } from '@holdfast/core'
import { serveDashboard, type ServedDashboard } from '@holdfast/cli/dashboard'

/** Prints an address such as http://127.0.0.1:41873/#token=… */
export async function openDashboard(holdfast: Holdfast): Promise<ServedDashboard> {
  const served = await serveDashboard({ holdfast })
  console.log(`Locks: ${served.url}`)
  return served
}
