export * from '@holdfast/metrics/otel'
