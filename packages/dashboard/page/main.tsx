import { render } from 'preact'
import { App } from './app.js'
import { takeToken } from './token.js'
import 'uplot/dist/uPlot.min.css'
import './styles.css'

takeToken()

const place = document.getElementById('app')
if (place) {
  place.replaceChildren()
  render(<App />, place)
}
