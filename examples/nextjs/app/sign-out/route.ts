import { impersonations } from '../../lib/impersonations'

/** Ends what an operator does here, too. */
export async function POST(request: Request): Promise<Response> {
  const headers = await impersonations().signOut(request)
  headers.set('location', '/')
  return new Response(null, { status: 303, headers })
}
