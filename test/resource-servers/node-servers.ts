/** The servers on Node that do not look at the status. */
export const NODE_SERVERS = [
  'express-oauth2-jwt-bearer',
  'fastify-jwt',
  'hono-jwk',
  'aws-jwt-verify',
] as const
