import { requireJson, requireSameOrigin } from './same-origin.js'

const request = (headers: Record<string, string>) => ({ headers: new Headers(headers) })
const here = { host: 'locks.example.org:8080' }

it.each([
  ['the page itself', { 'sec-fetch-site': 'same-origin', ...here }],
  ['a browser that leaves the header out', { origin: 'http://locks.example.org:8080', ...here }],
])('a change is taken from %s', (_, headers) =>
  expect(() => requireSameOrigin(request(headers))).not.toThrow(),
)

it.each([
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'http://locks.example.org:8080', ...here }],
  ['another host of the same site', { 'sec-fetch-site': 'same-site', ...here }],
  ['the address line', { 'sec-fetch-site': 'none', ...here }],
  ['another origin', { origin: 'http://evil.example', ...here }],
  ['another port', { origin: 'http://locks.example.org', ...here }],
  ['a sandboxed frame', { origin: 'null', ...here }],
  ['what names no origin', here],
])('a change is refused from %s', (_, headers) =>
  expect(() => requireSameOrigin(request(headers))).toThrow(/must come from the dashboard itself/),
)

it('only JSON is a body', () => {
  expect(() => requireJson(request({ 'content-type': 'Application/JSON; charset=utf-8' }))).not.toThrow()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
    expect(() => requireJson(request({ 'content-type': type }))).toThrow(/application\/json/)
  }
})
