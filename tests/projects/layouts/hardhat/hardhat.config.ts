import { fileURLToPath } from "node:url";

import { defineConfig } from "hardhat/config";

export default defineConfig({
  solidity: {
    version: "0.8.37",
    // From npm: nothing is downloaded for a build.
    path: fileURLToPath(import.meta.resolve("solc/soljson.js")),
  },
});
