import express from 'express'
import { port, printChecklist, provider } from './provider.ts'

const app = express()
app.use(provider.impersonation.callback())
app.use('/oidc', provider.callback())
app.listen(port, 'localhost')
await printChecklist()
