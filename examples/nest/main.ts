import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { port, printChecklist, provider } from '../provider.ts'

class AppModule {}
// The decorator @Module({}), without a compiler.
Module({})(AppModule)

const app = await NestFactory.create(AppModule)
app.use(provider.impersonation.callback())
app.use('/oidc', provider.callback())
await app.listen(port, 'localhost')
await printChecklist()
