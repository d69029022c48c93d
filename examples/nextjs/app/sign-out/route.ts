import { impersonations } from '../../lib/impersonations'

export async function POST(request: Request): Promise<Response> {
  const headers = await impersonations().forget(request)
  headers.set('location', '/')
  return new Response(null, { status: 303, headers })
}
