import querystring from 'node:querystring'
import type { Context, Middleware } from 'koa'
import { runOnce } from 'oidc-provider-impersonation/siblings'
import type { ComponentChild, ComponentType } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { waitForCapacity } from '../audit.ts'
import { imageSources } from '../brand.ts'
import { readJson } from '../http/json-body.ts'
import {
  answerProblem,
  assertMethod,
  NoRoleProblem,
  notFound,
  Problem,
  problemOf,
} from '../http/problem.ts'
import { redirect } from '../http/redirect.ts'
import { type At, shortCount } from '../kit/at.ts'
import { Document } from '../kit/document.tsx'
import { Door, handOverDoor, lateForm, signInDoor, turnedAway } from '../kit/door.tsx'
import { Page } from '../kit/frame.tsx'
import { Link } from '../kit/link.tsx'
import { createAssets, showAsset } from '../page/assets.ts'
import type { CallOf, Parts } from '../parts.ts'
import { codeFlow, pathBelow } from '../sign-in/code-flow.ts'
import { cookiePlace, readCookie, writeCookie } from '../sign-in/cookie.ts'
import { assertSameOrigin } from '../sign-in/origin.ts'
import { knownClient, type PageClient } from '../sign-in/set-up.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { type Entered, type SignedIn, signedInTo } from '../sign-in/signed-in.ts'
import type { Words } from '../words/words.ts'
import { type FormValues, fieldsOf, MAX_BYTES, readFormBody } from './form-body.ts'
import { problemText, wrongField } from './problem-text.ts'
import { languageOf, readerOf } from './reader.ts'
import { keepSaid, takeSaid } from './said.ts'
import type { Answered, PageView, Route, View } from './table.ts'

/** A sign-in is renewed this long before its end, or at two thirds of its life if it is short. */
const RENEWAL_SECONDS = 60

/** One of the two sets of pages: of the console, or of the customer's account. */
export interface Site<P, Person, A extends At> extends Omit<PageClient, 'redirectUri'> {
  /** The path of the first page: `/console`. */
  readonly base: string
  /** The realm of `WWW-Authenticate`. */
  readonly realm: string
  readonly isForStaff: boolean
  /** Seconds after which a page looks again. Without it, a page follows the stream. */
  readonly looksEvery?: number
  /** The origins of the applications, to which a form may lead. */
  readonly leadsTo: readonly string[]
  readonly doorOf: (words: Words) => { readonly product: string; readonly about: string }
  readonly table: readonly Route<CallOf<P, Person>, A>[]
  /** @throws Problem 403 for a person who may not use the route */
  readonly findCaller: (
    person: Entered,
    route: Route<CallOf<P, Person>, A>,
    input: () => Promise<unknown>,
  ) => Promise<Person>
  /** Finds what the frame around a page needs. */
  readonly readerFor: (call: CallOf<P, Person>, at: At) => Promise<A>
  readonly Frame: ComponentType<{ children: ComponentChild }>
  /** Comes before a person signs out. */
  readonly beforeSignOut?: (person: SignedIn) => Promise<void>
}

/** Serves the pages of a site, its actions and its sign-in. */
export function servePages<
  P extends Pick<Parts, 'audit' | 'now' | 'provider' | 'settings'>,
  Person,
  A extends At,
>(parts: P, site: Site<P, Person, A>) {
  type Call = CallOf<P, Person>
  /** A request that has a line of the table, and a person. */
  interface Request {
    readonly ctx: Context
    readonly route: Route<Call, A>
    readonly params: Readonly<Record<string, string>>
    readonly person: Entered
    readonly input: () => Promise<unknown>
  }
  const { provider, settings } = parts
  const { brand, languages, url } = settings
  const { base, clientId, table } = site
  const findAssets = createAssets(brand)
  const cookie = cookiePlace(clientId, url)
  const saidCookie = { ...cookie, name: `${cookie.name}-said` }
  const redirectUri = `${url}${base}/callback`
  const client: PageClient = { ...site, redirectUri }
  const assertClient = knownClient(provider, client)
  const flow = codeFlow(provider, clientId, redirectUri, cookie)
  const findSignedIn = signedInTo(provider, clientId)
  const issuer = new URL(provider.issuer).origin
  const headers = headersOf(imageSources(brand), [issuer, ...site.leadsTo])

  /** The sign-in, beside the table. */
  const doors: Readonly<Record<string, (ctx: Context) => Promise<void>>> = {
    async 'GET /callback'(ctx) {
      redirect(ctx, base + (await flow.finish(ctx)))
    },
    async 'GET /sign-in'(ctx) {
      const at = readerAt(ctx)
      const { why, to } = ctx.query
      const trouble = new Map(Object.entries(at.words.web.signInTroubles)).get(String(why))
      const door = { ...site.doorOf(at.words), trouble, to: pathBelow(to) }
      await send(ctx, at, signInDoor(door, at))
    },
    async 'GET /enter'(ctx) {
      const { to, prompt } = ctx.query
      await flow.begin(ctx, pathBelow(to), prompt === 'login' ? prompt : undefined)
    },
    async 'POST /sign-out'(ctx) {
      assertSameOrigin(ctx, url)
      const person = await orNobody(findPerson(ctx))
      // A person who cannot end what runs stays signed in, and can try again.
      if (person) await site.beforeSignOut?.(person)
      writeCookie(ctx, cookie, '', 0)
      if (person) await signOut(ctx, provider, person, clientId, url + base)
      else redirect(ctx, base)
    },
  }

  /** Answers below the base, and passes other requests on. */
  const middleware: Middleware = async (ctx, next) => {
    if (ctx.path !== base && !ctx.path.startsWith(`${base}/`)) return next()
    const path = ctx.path.slice(base.length)
    if (path.startsWith('/assets/')) return showAsset(ctx, await findAssets(), path.slice(8))
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    try {
      await assertClient()
      const door = doors[`${ctx.method} ${path}`]
      await (door ? door(ctx) : answer(ctx, path))
    } catch (error) {
      await showProblem(ctx, problemOf(error))
    }
  }
  return { middleware, client }

  /** Finds the line of the table for a path below the base, with the parameters of the path. */
  function lineAt(path: string) {
    for (const route of table) {
      const params = paramsIn(route.path, path === '/' ? '' : path)
      if (params) return { route, params }
    }
    return undefined
  }

  /** Finds who is signed in. A bearer token wins over the cookie. @throws Problem 401 for nobody */
  async function findPerson(ctx: Context): Promise<Entered> {
    return findSignedIn(ctx, hasToken(ctx) ? undefined : readCookie(ctx, cookie.name))
  }

  function readerAt(ctx: Context, person?: SignedIn, here?: string): At {
    return readerOf(ctx, parts, base, person?.id, here)
  }

  function hereOf({ path, search }: Context): string {
    return path.slice(base.length) + search
  }

  /** Checks whether the provider can be asked by a redirect. A script cannot follow it to another origin. */
  function canLeave(ctx: Context): boolean {
    const isScript = !['', 'navigate'].includes(ctx.get('Sec-Fetch-Mode'))
    return isBrowser(ctx) && !(isScript && issuer !== url)
  }

  async function answer(ctx: Context, path: string): Promise<void> {
    const line = lineAt(path)
    if (!line) throw notFound('there is nothing here')
    assertMethod(ctx, line.route.method, ...(line.route.isPage ? ['HEAD'] : []))
    const known = isBrowser(ctx) ? await orNobody(findPerson(ctx)) : await findPerson(ctx)
    if (known && hasToken(ctx)) {
      const input = () => readJson(ctx, MAX_BYTES)
      const call = await enter({ ...line, ctx, person: known, input })
      const { model } = await line.route.answer(call, ctx.querystring)
      ctx.body ??= model ?? null
      return
    }
    if (ctx.method === 'POST') {
      assertSameOrigin(ctx, url)
      const values = await readFormBody(ctx)
      if (known) {
        const input = async () => fieldsOf(values)
        return carryOut({ ...line, ctx, person: known, input }, values)
      }
      const at = readerAt(ctx)
      ctx.status = 401
      return send(ctx, at, lateForm(ctx.path.slice(base.length), values, at))
    }
    if (canLeave(ctx) && !(known && isFresh(known))) {
      return flow.begin(ctx, hereOf(ctx), known || path === '' ? 'none' : undefined)
    }
    // A script that asks is told that nobody is signed in, and goes nowhere.
    const person = known ?? (await findPerson(ctx))
    await showPage({ ...line, ctx, person, input: async () => ({}) })
  }

  /** Makes the call of a person. @throws Problem 403 for a person who may not use the route */
  async function enter(request: Request): Promise<Call> {
    const { ctx, input, params, person, route } = request
    const caller = await site.findCaller(person, route, input)
    if (route.writes) await waitForCapacity(parts)
    return {
      ...parts,
      ctx,
      caller,
      input,
      language: languageOf(ctx, languages),
      param: (name) => params[name] ?? '',
      findAgain: async () => site.findCaller(await findPerson(ctx), route, input),
    }
  }

  async function showPage(
    request: Request,
    refused?: At['refused'],
    here = hereOf(request.ctx),
  ): Promise<void> {
    const { ctx, person, route } = request
    const call = await enter(request)
    const show = async (page: (at: A) => PageView) => {
      const plain = readerAt(ctx, person, here)
      const said = takeSaid(ctx, saidCookie, plain)
      const at = await site.readerFor(call, { ...plain, refused, said })
      await send(ctx, at, page(at), site.Frame, person)
    }
    try {
      const { page } = await route.answer(call, here.split(/\?(.*)/s)[1] ?? '')
      if (page) await show(page)
    } catch (error) {
      const problem = problemOf(error)
      if (problem.statusCode >= 500 || !isBrowser(ctx)) throw problem
      answerProblem(ctx, site, problem)
      await show((at) => problemView(problem, at))
    }
  }

  /** Does what a form says. If it is refused, the page comes back with the form as it was. */
  async function carryOut(request: Request, values: FormValues): Promise<void> {
    const { ctx, route, person } = request
    const { reader, once } = values
    const from = pathBelow(values.from)
    if (reader !== person.id) throw new Problem(409, 'other_person', 'another person signed in')
    try {
      const call = await enter(request)
      let done: Answered<A> = {}
      const work = async () => {
        done = await route.answer(call, '')
      }
      if (once === undefined) await work()
      else if (!(await runOnce(provider, JSON.stringify([person.id, ctx.path, once]), work))) {
        throw new Problem(409, 'done_already', 'this form was sent already')
      }
      const { to = from, said, opens } = done.after ?? {}
      if (said) keepSaid(ctx, saidCookie, said)
      if (!opens) return redirect(ctx, base + pathBelow(to))
      // Into the application: by a redirect, or by a form that the script sends at once.
      const at = readerAt(ctx)
      ctx.status = opens.field ? 200 : 303
      if (opens.field) return await send(ctx, at, handOverDoor(opens, at), Door, person)
      ctx.set('Location', opens.url)
      // The body that Koa makes of a redirect repeats the address.
      ctx.body = ''
    } catch (error) {
      const problem = problemOf(error)
      const page = lineAt(from.split('?')[0] ?? '')
      if (!page?.route.isPage || problem.statusCode >= 500) throw problem
      ctx.status = problem.statusCode
      const refused = {
        form: values.form ?? ctx.path.slice(base.length),
        values,
        problem: problemText(readerAt(ctx), problem),
        field: wrongField(problem, values),
        more: problem.more,
      }
      await showPage({ ...request, ...page }, refused, from)
    }
  }

  /** Answers a problem: as JSON, or to a browser as a page. */
  async function showProblem(ctx: Context, problem: Problem): Promise<void> {
    answerProblem(ctx, site, problem)
    if (!isBrowser(ctx)) return
    const hasNoRole = problem instanceof NoRoleProblem
    const person = hasNoRole ? await orNobody(findPerson(ctx)) : undefined
    const at = readerAt(ctx, person)
    await send(ctx, at, person ? turnedAway(person.id, at) : problemView(problem, at))
  }

  /** Sends a page. Without another status it is a 200. */
  async function send(
    ctx: Context,
    at: At,
    page: PageView,
    Frame: Site<P, Person, A>['Frame'] = Door,
    person?: Entered,
  ): Promise<void> {
    const assets = await findAssets()
    const addressOf = (name: string) => `${base}/assets/${assets.get(name)?.name}`
    const body = (
      <Frame>
        <Page of={page} />
      </Frame>
    )
    const { refused } = at
    const isGone = refused && !renderToString(body, at).includes(` id="${refused.form}"`)
    const title = at.waits ? `(${shortCount(at.waits)}) ${page.title}` : page.title
    const document = (
      <Document
        title={brand ? `${title} · ${brand.name}` : title}
        styles={['style.css', 'brand.css'].filter((name) => assets.has(name)).map(addressOf)}
        icon={addressOf('icon.svg')}
        {...(person && {
          script: addressOf('page.js'),
          data: {
            'data-base': base,
            // A form that was refused comes back at the address of the action, which cannot be fetched.
            'data-here': ctx.method === 'POST' ? base + at.here : undefined,
            'data-now': at.now,
            'data-until': person.token.exp,
            'data-every': site.looksEvery,
          },
        })}
      >
        {body}
      </Document>
    )
    ctx.set(headers)
    ctx.vary('Accept-Language, Accept, Cookie')
    ctx.type = 'html'
    const lost = isGone ? refused.problem : undefined
    ctx.body = `<!doctype html>${renderToString(document, { ...at, lost })}`
  }
}

/** The parameters of a path such as `/audit/:id`, or `undefined` for another path. */
function paramsIn(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expression = pattern.replaceAll('.', '\\.').replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')
  const found = new RegExp(`^${expression}$`).exec(path)
  const values = Object.entries(found?.groups ?? {}).map(([name, value]) => [
    name,
    querystring.unescape(value),
  ])
  return found ? Object.fromEntries(values) : undefined
}

const hasToken = (ctx: Context) => ctx.get('Authorization') !== ''

/** Checks whether the request is a browser's, by the cookie. */
const isBrowser = (ctx: Context) => !hasToken(ctx) && ctx.accepts('json', 'html') === 'html'

/** @returns `undefined` if nobody is signed in */
async function orNobody(found: Promise<Entered>): Promise<Entered | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof Problem && error.statusCode === 401) return undefined
    throw error
  }
}

function isFresh({ token: { exp = Number.POSITIVE_INFINITY, iat = 0 } }: Entered): boolean {
  return exp - Date.now() / 1000 > Math.min(RENEWAL_SECONDS, (exp - iat) / 3)
}

/** Says why there is nothing to show. */
const problemView: View<Problem, At> = (problem, at) => {
  const { web } = at.words
  const isNoPage = problem.error === 'not_found'
  return {
    title: isNoPage ? web.notFoundTitle : web.problems.title,
    about: isNoPage ? web.notFound : problemText(at, problem),
    body: <Link to="">{web.toStart}</Link>,
  }
}

/** The headers of every page. */
function headersOf(images: string, leadsTo: readonly string[]): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      `img-src ${images}`,
      `form-action 'self' ${[...new Set(leadsTo)].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types pages',
    ].join(';'),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    // `no-referrer` would send `Origin: null` with a form.
    'Referrer-Policy': 'strict-origin',
    'X-Frame-Options': 'DENY',
  }
}
