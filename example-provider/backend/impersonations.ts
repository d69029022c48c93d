import type { Middleware } from 'koa'
import type { AuditEntry } from '../audit/entry.ts'
import { bearerToken } from '../http/bearer.ts'
import { readJson } from '../http/json-body.ts'
import { Problem } from '../http/problem.ts'
import { machineToken } from './machine-token.ts'
import { issueSubjectToken } from './management-api.ts'
import { findOperator } from './operator.ts'
import type { BackendOptions } from './options.ts'
import { requireCustomer, requireSupportStaff } from './policy.ts'
import { refusalCounter } from './refusals.ts'
import { type ImpersonationRequest, parseRequest } from './request.ts'

/**
 * `POST /support/impersonations`: decides whether this operator may act as this user. If so, the
 * provider issues a subject token, bound to this operator, to the orders API and to the scopes that
 * the operator chose.
 */
export function requestImpersonation(options: BackendOptions): Middleware {
  const token = machineToken(options)
  const countRefusal = refusalCounter()

  return async (ctx) => {
    const operatorId = await findOperator(bearerToken(ctx), options)
    const refused = (problem: Problem, request: ImpersonationRequest | undefined) =>
      options.audit.record(refusal(operatorId, problem, request))

    try {
      requireSupportStaff(operatorId)
    } catch (error) {
      await countRefusal(operatorId)
      // The record shows the requested user if the body is well-formed. The answer does not say
      // what is wrong with the body.
      const request = await readJson(ctx)
        .then(parseRequest)
        .catch(() => undefined)
      if (error instanceof Problem) void refused(error, request)
      throw error
    }
    const request = parseRequest(await readJson(ctx))
    try {
      requireCustomer(request.userId)
    } catch (error) {
      await countRefusal(operatorId)
      if (error instanceof Problem) void refused(error, request)
      throw error
    }

    const { userId, scope, expiresIn } = request
    const answer = await issueSubjectToken(
      {
        userId,
        context: contextOf(operatorId, request),
        mayAct: { sub: operatorId },
        resource: options.ordersResource,
        scope,
        expiresIn,
      },
      token,
      options,
    )
    ctx.status = 201
    ctx.type = 'json'
    ctx.body = answer
  }
}

function contextOf(supportEngineerId: string, request: ImpersonationRequest) {
  const { ticketId, reason, duration } = request
  return { ticketId, reason, supportEngineerId, ...(duration === undefined ? {} : { duration }) }
}

function refusal(
  operatorId: string,
  { error, message }: Problem,
  request: ImpersonationRequest | undefined,
): AuditEntry {
  return {
    event: 'support.refused',
    time: Date.now(),
    actor: { sub: operatorId },
    denial: { stage: 'issue', error, reason: message },
    ...(request && {
      subject: request.userId,
      scope: request.scope,
      context: contextOf(operatorId, request),
    }),
  }
}
