import { inspect } from 'node:util'
import { SpanStatusCode } from '@opentelemetry/api'
import type { Span, SpanContext, Tracer } from '@opentelemetry/api'
import type { AcquireContext, AcquireOutcome, HoldContext, ReleaseContext } from '../index.js'
import { subscribeTo } from '../metrics/subscribe-to.js'

/** Outcomes that no caller asked for. */
const failures = new Set<AcquireOutcome>([
  'unavailable',
  'refused',
  'replication',
  'too-many-waiters',
  'gone',
  'lost',
  'error',
])

/**
 * Makes a span of each acquisition, hold and release, as a child of the caller's span, until the function that it returns is called.
 *
 * A hold is not a child of its acquisition, which is over when it begins; it has a link to it. Renewals belong to no caller
 * and have no spans.
 */
export function exportSpans(tracer: Tracer): () => void {
  const spans = new WeakMap<object, Span>()
  /** By owner, of acquisitions under way. */
  const acquiring = new Map<string, SpanContext>()

  const begin = (
    kind: string,
    context: AcquireContext | HoldContext | ReleaseContext,
    link?: SpanContext,
  ): Span => {
    const { name, owner, clientId, engine } = context
    const span = tracer.startSpan(`holdfast.${kind}`, {
      attributes: {
        'holdfast.lock.name': name,
        'holdfast.lock.kind': context.kind,
        'holdfast.client.id': clientId,
        'holdfast.engine': engine,
        ...(owner !== undefined && { 'holdfast.owner': owner }),
      },
      links: link ? [{ context: link }] : [],
    })
    spans.set(context, span)
    return span
  }

  const end = (context: object, attributes: Record<string, string | boolean>, error?: unknown): void => {
    const span = spans.get(context)
    if (!span) return
    span.setAttributes(attributes)
    if (error !== undefined) {
      const exception = error instanceof Error ? error : inspect(error)
      span.recordException(exception)
      const message = exception instanceof Error ? exception.message : exception
      span.setStatus({ code: SpanStatusCode.ERROR, message })
    }
    span.end()
  }

  return subscribeTo({
    'acquire:start': (context) => {
      const span = begin('acquire', context)
      if (context.owner !== undefined) acquiring.set(context.owner, span.spanContext())
    },
    'acquire:asyncEnd': (context) => {
      const { owner, outcome = 'error', contended, error } = context
      if (owner !== undefined) acquiring.delete(owner)
      const attributes = { 'holdfast.outcome': outcome, 'holdfast.contended': contended }
      end(context, attributes, failures.has(outcome) ? error : undefined)
    },
    'hold:start': (context) => begin('hold', context, acquiring.get(context.owner)),
    'hold:asyncEnd': (context) => {
      const { end: how = 'released', reason, error } = context
      end(context, { 'holdfast.end': how, ...(reason && { 'holdfast.loss.reason': reason }) }, error)
    },
    'release:start': (context) => begin('release', context),
    'release:asyncEnd': (context) =>
      end(context, { 'holdfast.outcome': context.outcome ?? 'failed' }, context.error),
  })
}
