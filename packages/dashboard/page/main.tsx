import { render } from 'preact'
import { App } from './app.js'
import { takeToken } from './token.js'
import 'uplot/dist/uPlot.min.css'
import './styles.css'

takeToken()
// An address with a new token, opened in this tab: only its fragment differs, so the browser loads nothing.
addEventListener('hashchange', () => {
  if (takeToken()) location.reload()
})

const place = document.getElementById('app')
if (place) {
  place.replaceChildren()
  render(<App />, place)
}
