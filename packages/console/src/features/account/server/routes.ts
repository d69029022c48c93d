import { type CustomerRoute, customer } from '../../../web/routes.ts'
import { endOwn } from './end.ts'
import { listOwnImpersonations, listOwnRunning } from './lists.ts'

export const accountRoutes: readonly CustomerRoute[] = [
  customer.get('/impersonations', listOwnImpersonations, { hasQuery: true }),
  customer.get('/running', listOwnRunning, { hasQuery: true }),
  customer.post('/end', endOwn),
]
