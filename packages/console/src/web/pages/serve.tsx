import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { runOnce } from 'oidc-provider-impersonation/siblings'
import type { ComponentChild, ComponentType } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type BrandSettings, imageSources } from '../brand.ts'
import { onlyMethods } from '../http/methods.ts'
import { answerProblem, NoRoleProblem, notFound, Problem, problemOf } from '../http/problem.ts'
import { type At, shortCount } from '../kit/at.ts'
import { Document } from '../kit/document.tsx'
import { HandOverForm, LateForm, ProblemPage, SignInDoor, TurnedAway } from '../kit/door.tsx'
import { Page } from '../kit/frame.tsx'
import { Link } from '../kit/link.tsx'
import { type Assets, showAsset } from '../page/assets.ts'
import { type CodeFlow, codeFlow, isPathBelow, type SignInTrouble } from '../sign-in/code-flow.ts'
import { cookiePlace, readCookie, writeCookie } from '../sign-in/cookie.ts'
import { assertSameOrigin } from '../sign-in/origin.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { type Entered, type FindSignedIn, signedInTo } from '../sign-in/signed-in.ts'
import type { Languages } from '../words/languages.ts'
import type { Words } from '../words/words.ts'
import { type FormValues, readFormBody, readJson } from './form-body.ts'
import { problemText, wrongField } from './problem-text.ts'
import { readerOf } from './reader.ts'
import { keepSaid, takeSaid } from './said.ts'
import type { AnyCall, Opening, Route, Showing, View } from './table.ts'

/** A sign-in is renewed this long before its end, or at two thirds of its life if it is short. */
const RENEWAL_SECONDS = 60

/** One of the two sets of pages: of the console, or of the customer's account. */
export interface Site<C extends AnyCall, A extends At> {
  readonly provider: Provider
  readonly clientId: string
  /** The public origin. */
  readonly url: string
  /** The path of the first page: `/console`. */
  readonly base: string
  /** The realm of `WWW-Authenticate`, also for the log. */
  readonly realm: string
  readonly isForStaff: boolean
  readonly languages: Languages
  readonly brand: BrandSettings | undefined
  readonly assets: () => Promise<Assets>
  readonly now: () => number
  /** Seconds after which a page looks again. Without it, a page follows the stream. */
  readonly looksEvery?: number
  /** The origins of the applications, to which a form may lead. */
  readonly leadsTo: readonly string[]
  readonly doorOf: (words: Words) => { readonly product: string; readonly about: string }
  readonly table: readonly Route<C, A>[]
  /** Makes the call of a person. @throws Problem 403 for a person who may not use the route */
  readonly enter: (request: Request<C, A>) => Promise<C>
  /** Finds what the frame around a page needs. */
  readonly readerFor: (call: C, at: At) => Promise<A>
  readonly Frame: ComponentType<{ path: string; children: ComponentChild }>
  /** Comes before a person signs out. */
  readonly beforeSignOut?: (person: Entered, ctx: Context) => Promise<void>
}

/** A request that has a route, and a person. */
export interface Request<C extends AnyCall, A extends At> {
  readonly ctx: Context
  readonly route: Route<C, A>
  readonly params: Readonly<Record<string, string>>
  readonly person: Entered
  readonly input: () => Promise<unknown>
  /** Finds the person again: the sign-in may be over, or the role gone. */
  readonly findAgain: () => Promise<Entered>
}

/** Serves the pages of a site, its actions and its sign-in. Answers below the base, and passes other requests on. */
export function servePages<C extends AnyCall, A extends At>(site: Site<C, A>): Middleware {
  const { provider, clientId, url, base } = site
  const cookie = cookiePlace(clientId, url)
  const flow = codeFlow(provider, { clientId, callbackUrl: `${url}${base}/callback`, cookie })
  const findPerson = signedInTo(provider, clientId)
  const router = new Router({ sensitive: true, strict: true })
  const serving: Serving<C, A> = { site, flow, cookie, findPerson, find: finderIn(site, router) }

  router.get(`${base}/callback`, problems(serving), async (ctx) => {
    const { to, trouble } = await flow.finish(ctx)
    if (trouble === undefined) return redirect(ctx, base + to)
    redirect(ctx, `${base}/sign-in?${new URLSearchParams({ why: trouble, to })}`)
  })
  router.get(`${base}/assets/:name`, async (ctx) => {
    await showAsset(ctx, await site.assets(), ctx.params.name ?? '')
  })
  router.get(`${base}/sign-in`, problems(serving), (ctx) => showDoor(serving, ctx))
  router.get(`${base}/enter`, problems(serving), (ctx) => {
    const { to, prompt } = ctx.query
    return flow.begin(ctx, isPathBelow(to) ? to : '', prompt === 'login' ? prompt : undefined)
  })
  router.post(`${base}/sign-out`, problems(serving), async (ctx) => {
    assertSameOrigin(ctx, url)
    const token = readCookie(ctx, cookie.name) ?? ''
    const person = await orNobody(() => findPerson(ctx, token))
    // A person who cannot end what runs stays signed in, and can try again.
    if (person) await site.beforeSignOut?.(person, ctx)
    writeCookie(ctx, cookie, '', 0)
    if (!person) return redirect(ctx, base)
    await signOut(ctx, provider, person, { clientId, returnTo: url + base })
  })
  for (const [path, routes] of Map.groupBy(site.table, (route) => route.path)) {
    const methods = routes.flatMap(({ method, marks }) =>
      method === 'GET' && !marks.streams ? ['GET', 'HEAD'] : [method],
    )
    const allowed = onlyMethods(...methods)
    router.all(patternOf(base, path), problems(serving), allowed, async (ctx) => {
      const route = routes.find(({ method }) => method === ctx.method.replace('HEAD', 'GET'))
      if (route) await answer(serving, ctx, route, ctx.params)
    })
  }
  router.all(`${base}/{*rest}`, problems(serving), () => {
    throw notFound('there is nothing here')
  })
  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

interface Serving<C extends AnyCall, A extends At> {
  readonly site: Site<C, A>
  readonly flow: CodeFlow
  readonly cookie: ReturnType<typeof cookiePlace>
  readonly findPerson: FindSignedIn
  /** The page at an address below the base. */
  readonly find: (path: string) => Found<C, A> | undefined
}

interface Found<C extends AnyCall, A extends At> {
  readonly route: Route<C, A>
  readonly params: Readonly<Record<string, string>>
}

/** The pattern of a path. The first page is also found with a slash. */
function patternOf(base: string, path: string): string {
  return base + (path || '{/}')
}

function finderIn<C extends AnyCall, A extends At>({ base, table }: Site<C, A>, router: Router) {
  return (path: string): Found<C, A> | undefined => {
    const layer = router.match(base + path, 'GET').pathAndMethod[0]
    const route = table.find(
      ({ method, path, marks }) =>
        method === 'GET' && !marks.isFile && patternOf(base, path) === layer?.path,
    )
    return (
      layer && route && { route, params: layer.params(base + path, layer.captures(base + path)) }
    )
  }
}

/** Checks whether the request is a browser's. A bearer token wins over the cookie. */
function isBrowser(ctx: Context): boolean {
  return ctx.get('Authorization') === '' && ctx.accepts('json', 'html') === 'html'
}

/** Checks whether the provider can be asked by a redirect. A script cannot follow it to another origin. */
function canLeave(ctx: Context, { provider, url }: { provider: Provider; url: string }): boolean {
  const isScript = !['', 'navigate'].includes(ctx.get('Sec-Fetch-Mode'))
  return isBrowser(ctx) && !(isScript && new URL(provider.issuer).origin !== url)
}

async function answer<C extends AnyCall, A extends At>(
  serving: Serving<C, A>,
  ctx: Context,
  route: Route<C, A>,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const { site, cookie, findPerson, flow } = serving
  if (ctx.get('Authorization') !== '') {
    const findAgain = () => findPerson(ctx)
    const person = await findAgain()
    const input = () => readJson(ctx)
    const call = await site.enter({ ctx, route, params, person, input, findAgain })
    await route.answer(call, inJson(ctx))
    return
  }
  const isPost = route.method === 'POST'
  const token = readCookie(ctx, cookie.name)
  if (token === undefined && !isBrowser(ctx)) await findPerson(ctx)
  if (isPost) assertSameOrigin(ctx, site.url)
  const values = isPost ? await readFormBody(ctx) : {}
  const findAgain = () => findPerson(ctx, token ?? '')
  const person = token === undefined ? undefined : await orNobody(findAgain)
  if (!person) {
    if (isPost) return showLateForm(serving, ctx, values)
    // A stream or a script that asks is told so, and goes nowhere.
    if (!canLeave(ctx, site)) await findAgain()
    return flow.begin(ctx, hereOf(ctx, site.base), route.path === '' ? 'none' : undefined)
  }
  if (!isPost && canLeave(ctx, site) && isRenewalDue(person))
    return flow.begin(ctx, hereOf(ctx, site.base), 'none')
  const request: Browsing<C, A> = { ctx, route, params, person, findAgain, values }
  if (!isPost) return showPage(serving, request)
  await carryOut(serving, request)
}

/** A request of a browser, with the fields of its form. */
interface Browsing<C extends AnyCall, A extends At> extends Omit<Request<C, A>, 'input'> {
  readonly values: FormValues
}

async function showPage<C extends AnyCall, A extends At>(
  serving: Serving<C, A>,
  { values, ...request }: Browsing<C, A>,
  refused?: At['refused'],
  here = hereOf(request.ctx, serving.site.base),
): Promise<void> {
  const { site } = serving
  const { ctx, person, route } = request
  const call = await site.enter({ ...request, input: async () => values })
  const showing: Showing<A> = {
    async show(model, view) {
      const plain = plainReader(site, ctx, person.id, here)
      const said = takeSaid(ctx, serving.cookie, plain)
      const at = await site.readerFor(call, { ...plain, refused, said })
      const shown = view(model, at)
      const body = (
        <site.Frame path={route.path}>
          <Page of={shown} />
        </site.Frame>
      )
      const form = refused && (refused.values.form ?? refused.action)
      const isGone = refused && !renderToString(body, at).includes(` id="${form}"`)
      const lost = isGone ? { lost: refused.problem } : {}
      await send(serving, ctx, { ...at, ...lost }, shown.title, body, person)
    },
    done() {},
  }
  try {
    await route.answer(call, showing)
  } catch (error) {
    const problem = problemOf(error, site.isForStaff)
    if (problem.statusCode >= 500 || !isBrowser(ctx)) throw problem
    answerProblem(ctx, site.realm, problem)
    await showing.show(problem, problemView)
  }
}

/** Does what a form says. If it is refused, the page comes back with the form as it was. */
async function carryOut<C extends AnyCall, A extends At>(
  serving: Serving<C, A>,
  request: Browsing<C, A>,
): Promise<void> {
  const { site } = serving
  const { ctx, route, person, values } = request
  const { from = '', form: _form, reader, once, ...fields } = values
  if (reader !== person.id) throw new Problem(409, 'other_person', 'another person signed in')
  const given = Object.entries(fields).filter(([, value]) => value !== '')
  try {
    const call = await site.enter({ ...request, input: async () => Object.fromEntries(given) })
    let opening: Opening | undefined
    const work = () =>
      route.answer(call, {
        async show() {},
        done(_answer, { to = from, said, opens }) {
          opening = opens
          if (said) keepSaid(ctx, serving.cookie, said)
          redirect(ctx, site.base + (isPathBelow(to) ? to : ''))
        },
      })
    if (once === undefined) await work()
    else if (!(await runOnce(site.provider, JSON.stringify([person.id, ctx.path, once]), work))) {
      throw new Problem(409, 'done_already', 'this form was sent already')
    }
    if (opening) await open(serving, ctx, opening, person)
  } catch (error) {
    const problem = problemOf(error, site.isForStaff)
    const { pathname, search } = new URL(isPathBelow(from) ? from || '/' : '/', 'http://page')
    const found = serving.find(pathname === '/' ? '' : pathname)
    if (!found || problem.statusCode >= 500) throw problem
    ctx.status = problem.statusCode
    const refused = {
      action: ctx.path.slice(site.base.length),
      values,
      problem: problemText(plainReader(site, ctx, person.id, from), problem),
      field: wrongField(problem, values),
      more: problem.more,
    }
    // The page reads its own query, not that of the action.
    const asked = Object.create(ctx, {
      querystring: { value: search.slice(1) },
      query: { value: Object.fromEntries(new URLSearchParams(search)) },
    })
    await showPage(serving, { ...request, ...found, ctx: asked }, refused, from)
  }
}

/** Leads into an application: by a redirect, or by a form that the script sends at once. */
async function open<C extends AnyCall, A extends At>(
  serving: Serving<C, A>,
  ctx: Context,
  opening: Opening,
  person: Entered,
): Promise<void> {
  if (opening.field) {
    ctx.status = 200
    ctx.remove('Location')
    const at = plainReader(serving.site, ctx)
    return send(serving, ctx, at, opening.name, <HandOverForm of={opening} />, person)
  }
  ctx.set('Location', opening.url)
  // The body that Koa makes of a redirect repeats the address.
  ctx.body = ''
}

async function orNobody(find: () => Promise<Entered>): Promise<Entered | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Problem && error.statusCode === 401) return undefined
    throw error
  }
}

function isRenewalDue({ token: { exp, iat = 0 } }: Entered): boolean {
  if (exp === undefined) return false
  return exp - Date.now() / 1000 <= Math.min(RENEWAL_SECONDS, (exp - iat) / 3)
}

function inJson(ctx: Context): Showing<never> {
  return {
    async show(model) {
      ctx.body = model
    },
    done(answer) {
      if (answer !== undefined) ctx.body = answer
      else if (ctx.body === undefined && ctx.status === 404) ctx.status = 204
    },
  }
}

function redirect(ctx: Context, to: string): void {
  ctx.status = 303
  ctx.redirect(to)
}

function hereOf({ path, search }: Context, base: string): string {
  return path.slice(base.length) + search
}

function plainReader<C extends AnyCall, A extends At>(
  { languages, brand, base, now }: Site<C, A>,
  ctx: Context,
  reader = '',
  here = '',
): At {
  return readerOf(ctx, languages, brand, { base, here, reader, now: now() })
}

async function showDoor<C extends AnyCall, A extends At>(serving: Serving<C, A>, ctx: Context) {
  const at = plainReader(serving.site, ctx)
  const { why, to } = ctx.query
  const known = Object.hasOwn(at.words.web.signInTroubles, String(why))
  const door = serving.site.doorOf(at.words)
  const body = (
    <SignInDoor
      {...door}
      why={known ? (why as SignInTrouble) : undefined}
      to={isPathBelow(to) ? to : ''}
    />
  )
  await send(serving, ctx, at, door.product, body)
}

async function showLateForm<C extends AnyCall, A extends At>(
  serving: Serving<C, A>,
  ctx: Context,
  values: FormValues,
): Promise<void> {
  const { base } = serving.site
  const at = plainReader(serving.site, ctx)
  ctx.status = 401
  const body = <LateForm action={ctx.path.slice(base.length)} values={values} />
  await send(serving, ctx, at, at.words.web.late.title, body)
}

/** Answers problems: as JSON, or to a browser as a page. */
function problems<C extends AnyCall, A extends At>(serving: Serving<C, A>): Middleware {
  const { site, cookie, findPerson } = serving
  return async (ctx, next) => {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    try {
      await next()
    } catch (error) {
      const problem = problemOf(error, site.isForStaff)
      answerProblem(ctx, site.realm, problem)
      if (!isBrowser(ctx)) return
      const at = plainReader(site, ctx)
      const token = problem instanceof NoRoleProblem ? readCookie(ctx, cookie.name) : undefined
      const person = token === undefined ? undefined : await orNobody(() => findPerson(ctx, token))
      const { title, about = '' } = problemView(problem, at)
      const page = person ? (
        <TurnedAway person={person.id} />
      ) : (
        <ProblemPage title={title} about={about} />
      )
      await send(serving, ctx, { ...at, reader: person?.id ?? '' }, title, page)
    }
  }
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

/** Sends a page. Without another status it is a 200. */
async function send<C extends AnyCall, A extends At>(
  { site }: Serving<C, A>,
  ctx: Context,
  at: At,
  title: string,
  body: ComponentChild,
  person?: Entered,
): Promise<void> {
  const { names } = await site.assets()
  const assetUrl = (name: string) => `${site.base}/assets/${names.get(name)}`
  const formsLeadTo = [new URL(site.provider.issuer).origin, ...site.leadsTo]
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      `img-src ${imageSources(site.brand)}`,
      `form-action 'self' ${[...new Set(formsLeadTo)].join(' ')}`,
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
  })
  ctx.vary('Accept-Language')
  ctx.vary('Accept')
  ctx.vary('Cookie')
  const name = at.waits ? `(${shortCount(at.waits)}) ${title}` : title
  const page = (
    <Document
      title={site.brand ? `${name} · ${site.brand.name}` : name}
      styles={['style.css', 'brand.css'].filter((name) => names.has(name)).map(assetUrl)}
      icon={assetUrl('icon.svg')}
      {...(person && {
        script: assetUrl('page.js'),
        data: {
          'data-base': site.base,
          // A form that was refused comes back at the address of the action, which cannot be fetched.
          ...(ctx.method === 'POST' && { 'data-here': site.base + at.here }),
          'data-now': String(at.now),
          'data-until': String(person.token.exp ?? ''),
          ...(site.looksEvery && { 'data-every': String(site.looksEvery) }),
        },
      })}
    >
      {body}
    </Document>
  )
  ctx.type = 'html'
  ctx.body = `<!doctype html>${renderToString(page, at)}`
}
