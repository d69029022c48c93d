import type { Configuration } from './configuration.ts'
import { CouldNotRun } from './could-not-run.ts'
import { causeOf, createSender } from './http.ts'
import { Skip, type Transaction, Violation } from './outcome.ts'
import { roundRobin } from './processes.ts'
import { Redaction } from './redaction.ts'
import { Server } from './server.ts'
import type { Statement } from './statements/statement.ts'

export interface Result {
  readonly statement: Statement
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  readonly message?: string
  /** Of a failure: the request that shows it. */
  readonly transaction?: Transaction | undefined
  readonly milliseconds: number
}

export interface Run {
  readonly issuer: string
  readonly startedAt: Date
  readonly milliseconds: number
  readonly results: readonly Result[]
  /** Whether it was interrupted before the last test. */
  readonly isInterrupted: boolean
}

export interface RunOptions {
  readonly issuer: string
  readonly configuration: Configuration
  readonly statements: readonly Statement[]
  /** Ends the run: what is under way is abandoned, and has no result. */
  readonly signal: AbortSignal
  readonly onResult?: (result: Result) => void
}

/** Tests one statement after the other. @throws CouldNotRun */
export async function run(options: RunOptions): Promise<Run> {
  const { issuer, configuration, statements, signal, onResult } = options
  const startedAt = new Date()
  const redaction = new Redaction()
  redactSecrets(redaction, configuration)
  const { send, last } = createSender(
    redaction,
    signal,
    roundRobin(issuer, configuration.processes),
  )
  const results: Result[] = []
  try {
    const discovery = await discover(issuer, send)
    const server = new Server({ configuration, issuer, discovery, send, redaction }, signal)
    await tryFlow(server)
    for (const statement of statements) {
      const result = redacted(await test(statement, server, last, signal), redaction)
      results.push(result)
      onResult?.(result)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  const milliseconds = Date.now() - startedAt.getTime()
  return { issuer, startedAt, milliseconds, results, isInterrupted: signal.aborted }
}

async function test(
  statement: Statement,
  server: Server,
  last: () => Transaction | undefined,
  signal: AbortSignal,
): Promise<Result> {
  const started = performance.now()
  const end = (outcome: Result['outcome'], more: Partial<Result> = {}): Result => ({
    statement,
    outcome,
    milliseconds: Math.round(performance.now() - started),
    ...more,
  })
  if (!server.claimsPart(statement.part)) {
    return end('skipped', { message: `the configuration says without ${statement.part}` })
  }
  try {
    await statement.test(server)
    return end('passed')
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Skip) return end('skipped', { message: error.message })
    const transaction = (error instanceof Violation && error.transaction) || last()
    const isLimited = transaction?.answer.startsWith('HTTP 429') === true
    const hint = isLimited ? ': the rate limit is too low for the suite' : ''
    return end('failed', { message: `${causeOf(error)}${hint}`, transaction })
  }
}

/** The answer of a transaction is redacted when it is read: by then, all secrets are known. */
function redacted(result: Result, redaction: Redaction): Result {
  const { message, transaction } = result
  return {
    ...result,
    ...(message === undefined ? {} : { message: redaction.apply(message) }),
    ...(transaction === undefined
      ? {}
      : {
          transaction: {
            what: transaction.what,
            request: redaction.apply(transaction.request),
            answer: redaction.apply(transaction.answer),
          },
        }),
  }
}

function redactSecrets(redaction: Redaction, configuration: Configuration): void {
  const { issue, exchange, operator, otherOperator, introspection } = configuration
  const { client, otherClient, software, clientWithoutGrant } = exchange
  for (const one of [issue.client, client, otherClient, software, clientWithoutGrant]) {
    redaction.add(one?.secret, 'client secret')
  }
  redaction.add(introspection?.client.secret, 'client secret')
  for (const token of [
    operator?.token,
    operator?.withoutScope,
    operator?.revoked,
    operator?.bound,
  ]) {
    redaction.add(token, "operator's access token")
  }
  redaction.add(otherOperator?.token, "other operator's access token")
}

async function discover(issuer: string, send: Server['send']): Promise<Server['discovery']> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await send(url, { what: 'discovery' }).catch((error: unknown) => {
    if (!(error instanceof Violation)) throw error
    throw new CouldNotRun(
      `${url}: ${error.message}\nIs the server there, and reachable from this machine? A certificate of your own authority needs NODE_EXTRA_CA_CERTS.`,
    )
  })
  if (answer.status !== 200 || typeof answer.json.issuer !== 'string') {
    throw new CouldNotRun(
      `${url}: ${answer.status}, and no discovery document. Is ${issuer} the issuer, with its path?`,
    )
  }
  if (answer.json.issuer !== issuer) {
    throw new CouldNotRun(
      `the discovery document at ${url} is of ${answer.json.issuer}. Name that issuer, word for word.`,
    )
  }
  return answer.json
}

/** Without the flow itself, every statement would fail for the same reason. */
async function tryFlow(server: Server): Promise<void> {
  const steps: readonly [name: string, members: string, step: () => Promise<unknown>][] = [
    [
      'the machine client gets no access token',
      'issue.client, issue.token',
      () => server.machineToken(),
    ],
    [
      'no subject token is issued',
      'issue.url, issue.token.scope, issue.members, issue.answer, issue.always (what the server requires), user',
      () => server.issued(),
    ],
    [
      'no subject token is exchanged',
      'exchange.client, exchange.resource, exchange.scope, operator.always, issue.always (bound to others than these)',
      () => server.impersonate(),
    ],
  ]
  for (const [name, members, step] of steps) {
    try {
      await step()
    } catch (error) {
      if (error instanceof Skip) throw new CouldNotRun(`${name}: ${error.message}`)
      if (!(error instanceof Violation)) throw error
      const answer = server.redaction.apply(error.transaction?.answer ?? error.message)
      throw new CouldNotRun(`${name}. Look at ${members} in the configuration.\n\n${answer}`)
    }
  }
}
