import { createServer, type ServerResponse } from 'node:http'
import {
  denyImpersonation,
  RequestRefused,
  requireScope,
} from 'oidc-provider-impersonation-resource-server'
import { api } from './guard.ts'

const server = createServer(async (request, response) => {
  const isEmail = request.url === '/email'
  try {
    const requirement = isEmail ? denyImpersonation() : requireScope('orders:read')
    const { userId, actor } = await api.authenticate(request, requirement)
    if (isEmail) response.writeHead(204).end()
    else response.end(JSON.stringify({ ordersOf: userId, seenBy: actor?.sub }))
  } catch (error) {
    refuse(response, error)
  }
})

function refuse(response: ServerResponse, error: unknown) {
  response.setHeader('Cache-Control', 'no-store')
  if (error instanceof RequestRefused) {
    response.writeHead(error.status, {
      'WWW-Authenticate': error.challenge('orders'),
      'Content-Type': 'application/json',
    })
    response.end(JSON.stringify(error))
  } else {
    console.error(error)
    response.writeHead(503).end('{"error":"temporarily_unavailable"}')
  }
}

server.listen(Number(process.env.PORT ?? 8080))
