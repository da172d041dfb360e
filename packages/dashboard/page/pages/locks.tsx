import type { LocksContent } from '../../src/shared/payloads.js'
import { formatCount } from '../format.js'
import { FindLock } from '../parts/find-lock.js'
import { ContendedTable, HoldTable } from '../parts/lock-tables.js'
import { Nothing } from '../parts/name.js'

export const Locks = ({ content }: { content: LocksContent }) => (
  <>
    <FindLock />
    <section>
      <h2>Contended</h2>
      {content.contended.length === 0 ? (
        <Nothing>No client waits for a lock.</Nothing>
      ) : (
        <ContendedTable rows={content.contended} />
      )}
      {content.contendedCount > content.contended.length && (
        <p class="more">
          The {formatCount(content.contended.length)} longest queues of {formatCount(content.contendedCount)}.
        </p>
      )}
      {content.isPartial && (
        <p class="more">
          Some clients hold or wait for more locks than they list here. They list the oldest; a search finds
          all.
        </p>
      )}
    </section>
    <section>
      <h2>Held longest</h2>
      {content.longestHeld.length === 0 ? (
        <Nothing>Nothing is held. Locks appear here as soon as a client takes one.</Nothing>
      ) : (
        <HoldTable caption="The oldest holds" rows={content.longestHeld} hasHolder />
      )}
    </section>
  </>
)
