import { impersonations } from '../../lib/impersonations'

/** The form of the support console. */
export const POST = (request: Request) => impersonations().accept(request)
/** Back from the provider. */
export const GET = (request: Request) => impersonations().accept(request)
