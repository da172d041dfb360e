import type { INestApplication, INestApplicationContext, Type } from '@nestjs/common'
import { Module, type ModuleMetadata } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { AbstractHttpAdapter } from '@nestjs/core'
import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { HoldfastModule, type HoldfastProviding } from '@holdfast/nestjs'

export const silent = { logger: false, abortOnError: false } as const

/** A module with a client in memory. */
export const holdfastIn = (engine: MemoryStore = memory(), providing: HoldfastProviding = {}) =>
  HoldfastModule.forRoot({ ...providing, engine })

export function moduleOf(metadata: ModuleMetadata): Type {
  class AppModule {}
  Module(metadata)(AppModule)
  return AppModule
}

/** An application without HTTP, that is closed afterwards. */
export async function withContext(
  metadata: ModuleMetadata,
  use: (app: INestApplicationContext) => Promise<void>,
): Promise<void> {
  const app = await NestFactory.createApplicationContext(moduleOf(metadata), silent)
  try {
    await use(app)
  } finally {
    await app.close()
  }
}

/** An application that listens, and its address. It is closed afterwards, unless it was before. */
export async function withHttp(
  metadata: ModuleMetadata,
  use: (url: string, app: INestApplication) => Promise<void>,
  adapter?: AbstractHttpAdapter,
): Promise<void> {
  const module = moduleOf(metadata)
  const app = await (adapter
    ? NestFactory.create(module, adapter, silent)
    : NestFactory.create(module, silent))
  await app.listen(0, '127.0.0.1')
  try {
    await use(await app.getUrl(), app)
  } finally {
    await app.close()
  }
}
