import type { ImpersonationOptions } from 'oidc-provider-impersonation'
import { z } from 'zod'

export const contextSchema: ImpersonationOptions['contextSchema'] = z.looseObject({
  reason: z.string().trim().min(10, 'must have at least 10 characters'),
  ticketId: z.string().regex(/^SUP-\d+$/, 'must be a ticket such as SUP-123'),
})
