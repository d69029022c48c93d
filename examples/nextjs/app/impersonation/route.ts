import { impersonations } from '../../lib/impersonations'

export const POST = (request: Request) => impersonations().accept(request)
export const GET = (request: Request) => impersonations().accept(request)
