"""From LLVM IR to machine code for the processor that this runs on.

LLVM can abort the whole process on IR that it does not like. The fixed kernels are
tested; IR that depends on input is to be built in a child process.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, fields
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from echidna_mcp.errors import KernelBuildError


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How much work to put into the machine code.

    Attributes:
        passes: level of the pipeline over the IR; 0 leaves the IR as it is, 2 and 3 are
            LLVM's, 1 is a short one of our own: it takes a third of the time, and for
            straight code that is clean already its result is as fast.
        threading: with `passes` 1, whether to look for branches whose outcome follows
            from an earlier one, and for stores that nobody reads. It pays for functions
            that check what others have checked.
        codegen: level of the code generator, 0 to 3.
        inlining: threshold of the inliner; lower means less code.
        scalar_copies: move 256-bit values through general registers. Vector moves of
            what scalar stores have just written wait for those stores.
    """

    passes: int = 2
    threading: bool = True
    codegen: int = 2
    inlining: int = 100
    scalar_copies: bool = True

    def __str__(self) -> str:
        return " ".join(
            f"{each.name}={getattr(self, each.name)}" for each in fields(self)
        )


@dataclass(frozen=True, slots=True)
class Host:
    """What the machine code depends on besides the IR."""

    triple: str
    cpu: str
    features: str
    versions: str


@cache
def host() -> Host:
    """Return the processor of this machine and the versions of the compiler.

    Raises:
        KernelBuildError: LLVM has no code generator for it.
    """
    # It costs a sixth of the time; processors reorder instructions by themselves.
    llvm.set_option("echidna-mcp", "-post-RA-scheduler=false")
    try:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        triple = llvm.get_process_triple()
        llvm.Target.from_triple(triple)
    except RuntimeError as error:
        raise KernelBuildError(
            f"LLVM can't compile for {platform.machine()}; "
            "run without it: ECHIDNA_MCP_KERNELS=plain."
        ) from error
    version = ".".join(str(part) for part in llvm.llvm_version_info)
    return Host(
        triple=triple,
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        versions=f"llvmlite {llvmlite.__version__} LLVM {version}",
    )


def target_machine(codegen: int = 2) -> llvm.TargetMachine:
    """Return LLVM's description of this machine."""
    here = host()
    return llvm.Target.from_triple(here.triple).create_target_machine(
        cpu=here.cpu,
        features=here.features,
        opt=codegen,
        reloc="pic",
        codemodel="small",
    )


def build(ir: str, options: BuildOptions | None = None) -> bytes:
    """Return an object file.

    Raises:
        KernelBuildError: LLVM refuses the IR.
    """
    options = options or BuildOptions()
    machine = target_machine(options.codegen)
    try:
        module = llvm.parse_assembly(ir)
        module.verify()
    except RuntimeError as error:
        raise KernelBuildError(f"LLVM refuses the generated code: {error}") from error
    module.triple = host().triple
    module.data_layout = str(machine.target_data)
    if options.scalar_copies:
        for function in module.functions:
            if not function.is_declaration:
                function.add_function_attribute("noimplicitfloat")
    if options.passes:
        _optimise(module, machine, options)
    return bytes(machine.emit_object(module))


def _optimise(
    module: llvm.ModuleRef, machine: llvm.TargetMachine, options: BuildOptions
) -> None:
    if options.passes == 1:
        _tidy(module, machine, options)
    else:
        _optimise_fully(module, machine, options)


def _tidy(
    module: llvm.ModuleRef, machine: llvm.TargetMachine, options: BuildOptions
) -> None:
    """Run the short pipeline: it inlines only what is marked `inline`."""
    builder = llvm.create_pass_builder(
        machine, llvm.create_pipeline_tuning_options(speed_level=2)
    )
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    if options.threading:
        passes.add_jump_threading_pass()
        passes.add_sccp_pass()
        passes.add_dead_store_elimination_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)


def _optimise_fully(
    module: llvm.ModuleRef, machine: llvm.TargetMachine, options: BuildOptions
) -> None:
    tuning = llvm.create_pipeline_tuning_options(speed_level=options.passes)
    # Kernels have no loops that vectors would help, and unrolling costs compile time.
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_interleaving = False
    tuning.loop_unrolling = False
    tuning.inlining_threshold = options.inlining
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
