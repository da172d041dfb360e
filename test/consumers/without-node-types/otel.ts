export * from '@holdfast/otel'
