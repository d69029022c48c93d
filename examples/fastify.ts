import middie from '@fastify/middie'
import Fastify from 'fastify'
import { port, printChecklist, provider } from './provider.ts'

const app = Fastify()
await app.register(middie)
app.use(provider.impersonation.callback())
app.use('/oidc', provider.callback())
await app.listen({ port, host: 'localhost' })
await printChecklist()
