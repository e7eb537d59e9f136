# Completion of compactor for fish. To install it for good:
#   compactor completion fish > ~/.config/fish/completions/compactor.fish
function __compactor_answer
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    env _COMPACTOR_COMPLETE=fish $before[1] $before[2..-1] "$current" 2>/dev/null
end
function __compactor_complete
    set -l lines (__compactor_answer)
    switch "$lines[1]"
        case dirs
            __fish_complete_directories (commandline -ct)
        case words open
            printf '%s\n' $lines[2..-1]
    end
end
function __compactor_wants_files
    set -l lines (__compactor_answer)
    test "$lines[1]" = files
end
complete --command compactor --no-files --arguments '(__compactor_complete)'
complete --command compactor --condition __compactor_wants_files --force-files
