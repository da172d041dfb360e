import { isHoldfastError } from '@holdfast/core'
import { escapeSentence } from '../output/escape.js'

/** Takes a step; resolves with the reason if the store could not be reached, and rejects for other failures. */
export async function ifReachable(step: () => Promise<void>): Promise<string | null> {
  try {
    await step()
    return null
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'UNAVAILABLE') return escapeSentence(error.message)
    throw error
  }
}
