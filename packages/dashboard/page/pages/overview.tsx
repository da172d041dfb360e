import type { ComponentChildren } from 'preact'
import type { OverviewContent, Sample, Totals } from '../../src/shared/payloads.js'
import { formatCount, formatMs, formatRate, plural } from '../format.js'
import { Chart } from '../parts/chart.js'
import { ContendedTable, LossTable } from '../parts/lock-tables.js'
import { Nothing } from '../parts/name.js'
import { toClients, toLocks } from '../route.js'

interface OverviewProps {
  readonly content: OverviewContent
  readonly totals: Totals
  readonly samples: readonly Sample[]
  readonly everyMs: number
}

export function Overview({ content, totals, samples, everyMs }: OverviewProps) {
  const last = samples.at(-1)
  const at = samples.map((sample) => sample.at)
  const values = (key: Exclude<keyof Sample, 'at'>): (number | null)[] => samples.map((sample) => sample[key])
  // Or a figure would look like all there is.
  const without =
    totals.unreported === 0 ? null : `without ${plural(totals.unreported, 'client')} that did not report`
  return (
    <>
      <dl class="figures">
        <Figure title="Held" note={without ?? 'locks and permits'}>
          {formatCount(totals.held)}
        </Figure>
        <Figure title="Waiting" note={without ?? 'locks, permits, latches'}>
          {formatCount(totals.waiting)}
        </Figure>
        <Figure title="Hand-offs" note="per second">
          {formatRate(last?.handOffsPerSecond ?? null)}
        </Figure>
        <Figure title="Wait, median" note={`p99 ${formatMs(last?.p99 ?? null)}`}>
          {formatMs(last?.p50 ?? null)}
        </Figure>
        <Figure title="Lost" note={without ?? 'since these clients started'} isBad={(totals.lost ?? 0) > 0}>
          {formatCount(totals.lost)}
        </Figure>
        <Figure
          title="Clients"
          note={totals.silent === 0 ? 'all report' : `${formatCount(totals.silent)} unresponsive`}
          isBad={totals.silent > 0}
        >
          <a href={toClients()}>{formatCount(totals.clients)}</a>
        </Figure>
      </dl>
      <div class="charts">
        <Chart
          title="Per second"
          at={at}
          everyMs={everyMs}
          series={[
            { title: 'acquired', colour: 'one', values: values('acquiredPerSecond'), format: formatRate },
            { title: 'handed off', colour: 'two', values: values('handOffsPerSecond'), format: formatRate },
          ]}
        />
        <Chart
          title="At a time"
          at={at}
          everyMs={everyMs}
          series={[
            { title: 'held', colour: 'one', values: values('held'), format: formatCount },
            { title: 'waiting', colour: 'two', values: values('waiting'), format: formatCount },
          ]}
        />
        <Chart
          title="Waited"
          at={at}
          everyMs={everyMs}
          series={[
            { title: 'p50', colour: 'one', values: values('p50'), format: formatMs },
            { title: 'p90', colour: 'two', values: values('p90'), format: formatMs },
            { title: 'p99', colour: 'three', values: values('p99'), format: formatMs },
          ]}
        />
      </div>
      <section>
        <h2>Longest queues</h2>
        {content.contended.length === 0 ? (
          <Nothing>
            {without !== null
              ? `No client that reports waits for a lock. ${plural(totals.unreported, 'client')} did not report.`
              : totals.held === 0
                ? 'Nothing is held, and no client waits. Locks appear here as soon as a client takes one.'
                : 'No client waits for a lock.'}
          </Nothing>
        ) : (
          <ContendedTable rows={content.contended} />
        )}
        <p class="more">
          <a href={toLocks}>
            {content.contendedCount > content.contended.length
              ? `All ${formatCount(content.contendedCount)} contended locks`
              : 'Find a lock'}
          </a>
        </p>
      </section>
      <section>
        <h2>Recent losses</h2>
        {content.losses.length === 0 ? (
          <Nothing>No client that is connected has lost a hold.</Nothing>
        ) : (
          <LossTable rows={content.losses} />
        )}
      </section>
    </>
  )
}

interface FigureProps {
  readonly title: string
  readonly note: string
  readonly isBad?: boolean
  readonly children: ComponentChildren
}

const Figure = ({ title, note, isBad = false, children }: FigureProps) => (
  <div class={isBad ? 'figure bad' : 'figure'}>
    <dt>{title}</dt>
    <dd>
      <span class="value">{children}</span> <span class="note">{note}</span>
    </dd>
  </div>
)
