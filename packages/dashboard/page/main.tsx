import { render } from 'preact'
import { App } from './app.js'
import 'uplot/dist/uPlot.min.css'
import './styles.css'

const place = document.getElementById('app')
if (place) {
  place.replaceChildren()
  render(<App />, place)
}
