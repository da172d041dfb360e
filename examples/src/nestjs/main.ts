import { Injectable, Module, type INestApplication } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { HoldfastModule } from '@holdfast/nestjs'
import { HealthModule } from './health.js'
import { OrdersModule } from './orders.js'

/** In your application this may be the ConfigService of @nestjs/config. */
@Injectable()
class Settings {
  readonly redisUrl = process.env['REDIS_URL'] ?? 'redis://localhost:6379'
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

@Module({
  imports: [
    HoldfastModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: ({ redisUrl }: Settings) => ({ redis: redisUrl, waitMs: 2_000, drainMs: 10_000 }),
    }),
    OrdersModule,
    HealthModule,
  ],
})
class AppModule {}

export async function start(port: number): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule)
  app.enableShutdownHooks()
  await app.listen(port)
  return app
}
