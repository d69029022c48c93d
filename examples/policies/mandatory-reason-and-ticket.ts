import type { ContextValidator } from 'oidc-provider-impersonation'

export const contextSchema: ContextValidator = ({ reason, ticketId }) => {
  const issues = []
  if (typeof reason !== 'string' || reason.trim().length < 10) {
    issues.push({ path: ['reason'], message: 'must have at least 10 characters' })
  }
  if (typeof ticketId !== 'string' || !/^SUP-\d+$/.test(ticketId)) {
    issues.push({ path: ['ticketId'], message: 'must be a ticket such as SUP-123' })
  }
  // `undefined` keeps the context; { value } would replace it.
  return issues.length > 0 ? { issues } : undefined
}
