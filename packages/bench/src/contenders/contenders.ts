import { titleOf, type Contender } from '../contender.js'
import { holdfast } from './holdfast.js'
import { setAndDelete } from './set-and-delete.js'

/** Everything that can be measured by its sessions. Floors first. */
export const contenders: readonly Contender[] = [setAndDelete, holdfast]

export function contenderOf(title: string): Contender {
  const found = contenders.find((contender) => titleOf(contender) === title)
  if (!found)
    throw new Error(`there is no contender ${title}; there are: ${contenders.map(titleOf).join('; ')}`)
  return found
}
