#!/usr/bin/env node
// Starts the compiled phone. It is a file of its own, as npm links a command only to a file that exists at the installation. The folder
// dist/ is compiled later.
import './dist/simulated-phone/alone/main.js';
