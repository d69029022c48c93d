import { impersonations } from '../../../lib/impersonations'

export const POST = (request: Request) => impersonations().end(request)
