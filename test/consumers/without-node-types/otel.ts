export * from '@holdfast/core/otel'
